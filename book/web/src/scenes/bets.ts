/** What a scene's bet is on, and the unit it is typed in. */
export const BETS: Record<string, string> = {
  throughput: 'req/s',
  fooled: '%',
  pages: 'pages',
};
