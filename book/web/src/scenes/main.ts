/** The scenes of the book: a row for each. Loaded only by pages that have one; works from a file. */
import { curves } from './curves';
import { Frame } from './frame';
import { lanes } from './lanes';
import { little } from './little';
import { shop } from './shop';

Frame.kinds = { shop, curves, little, lanes };
customElements.define('wt-scene', Frame);
