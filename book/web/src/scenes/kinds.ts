/** The scenes of the book by their names: of each what makes it. */
export { arrivals } from './arrivals';
export { ceilings } from './ceilings';
export { curves } from './curves';
export { deal } from './deal';
export { hopping as 'core-hopping' } from './hopping';
export { interleave } from './interleave';
export { journey } from './journey';
export { lanes } from './lanes';
export { little } from './little';
export { pages } from './pages';
export { quota } from './quota';
export { ramp } from './ramp';
export { samples } from './samples';
export { shop } from './shop';
