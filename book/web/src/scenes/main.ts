/** Loaded only by pages that have a scene; works from a file. */
import { Frame } from './frame';
import { KINDS } from './kinds';

Frame.kinds = KINDS;
customElements.define('wt-scene', Frame);
