/** The scenes of the book: a row for each. Loaded only by pages that have one; works from a file. */
import { ceilings } from './ceilings';
import { curves } from './curves';
import { deal } from './deal';
import { Frame } from './frame';
import { hopping } from './hopping';
import { interleave } from './interleave';
import { journey } from './journey';
import { lanes } from './lanes';
import { little } from './little';
import { pages } from './pages';
import { quota } from './quota';
import { ramp } from './ramp';
import { samples } from './samples';
import { shop } from './shop';

Frame.kinds = {
  shop,
  curves,
  little,
  lanes,
  journey,
  interleave,
  deal,
  pages,
  ramp,
  ceilings,
  samples,
  'core-hopping': hopping,
  quota,
};
customElements.define('wt-scene', Frame);
