declare module 'anywidget' {
  /** anywidget's AMD factory, made an export by build.mjs. */
  export function makeAnywidget(base: object): Record<string, unknown>;
}
