/** Bundles the tests beside it and runs them with Node's own runner: `npm test`. */
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const made = mkdtempSync(join(tmpdir(), 'scenes-'));
const names = readdirSync(here).filter((name) => name.endsWith('.test.mjs'));
await build({
  entryPoints: names.map((name) => join(here, name)),
  bundle: true,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  outdir: made,
  platform: 'node',
  logLevel: 'warning',
});
const tests = names.map((name) => join(made, name));
const env = { ...process.env, BOOK: resolve(here, '../../../..') };
const { status } = spawnSync(process.execPath, ['--test', ...tests], { stdio: 'inherit', env });
rmSync(made, { recursive: true });
process.exit(status ?? 1);
