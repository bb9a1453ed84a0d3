/** The scenes of the book: of each what makes it, and what stands around it. */
import * as arrivals from './arrivals';
import * as ceilings from './ceilings';
import * as curves from './curves';
import * as deal from './deal';
import * as hopping from './hopping';
import * as interleave from './interleave';
import * as journey from './journey';
import * as lanes from './lanes';
import * as little from './little';
import * as pages from './pages';
import * as quota from './quota';
import * as ramp from './ramp';
import * as samples from './samples';
import * as shop from './shop';
import type { About, Kind } from './scene';

export const KINDS: Record<string, Kind> = {
  shop: shop.shop,
  curves: curves.curves,
  little: little.little,
  lanes: lanes.lanes,
  journey: journey.journey,
  interleave: interleave.interleave,
  deal: deal.deal,
  pages: pages.pages,
  ramp: ramp.ramp,
  ceilings: ceilings.ceilings,
  samples: samples.samples,
  'core-hopping': hopping.hopping,
  quota: quota.quota,
  arrivals: arrivals.arrivals,
};

/** By the same names. */
export const ABOUT: Record<string, About> = {
  shop: shop.ABOUT,
  curves: curves.ABOUT,
  little: little.ABOUT,
  lanes: lanes.ABOUT,
  journey: journey.ABOUT,
  interleave: interleave.ABOUT,
  deal: deal.ABOUT,
  pages: pages.ABOUT,
  ramp: ramp.ABOUT,
  ceilings: ceilings.ABOUT,
  samples: samples.ABOUT,
  'core-hopping': hopping.ABOUT,
  quota: quota.ABOUT,
  arrivals: arrivals.ABOUT,
};
