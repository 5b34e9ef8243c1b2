import { appendFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Set by `npm run test:full`. */
const isFull = process.env.IMORI_TEST_LENGTH === 'full'
/** `npm test` measures how slow the machine is (scripts/lib/speed.mjs). */
const patience = Number(process.env.IMORI_TEST_PATIENCE ?? 1)
/** A file for errors outside of tests, one JSON string per line. */
const unhandledErrors = process.env.IMORI_TEST_ERRORS

/**
 * Test files of one worker share a process and what they imported (`isolate: false`): starting and importing for each
 * file took longer than the tests. State of a module therefore outlives a file. A test of the admin that needs a document is a `.test.tsx`, whether it writes JSX or
 * not: making a document takes longer than most of the others, and a worker that would have to change between both ends
 * and another one imports everything anew.
 */
const limits = {
  // Limits only end tests that hang: nothing is waited for longer than it takes.
  testTimeout: isFull ? 3_600_000 : 240_000 * patience,
  hookTimeout: 240_000 * patience,
  expect: { poll: { timeout: 60_000 * patience } },
  pool: 'forks',
  isolate: false,
  // All cores are busy with tests: threads that collect garbage meanwhile, or often, only take from them.
  execArgv: ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64'] as string[],
} as const

export default defineConfig({
  test: {
    tags: [
      {
        name: 'full',
        description: 'Only `npm run test:full` runs it: races, kills, hostile files, long journeys',
      },
    ],
    // The JSON report omits errors outside of tests; scripts/lib/tests.mjs reads them here.
    onUnhandledError: ({ name, message }) => {
      if (unhandledErrors) appendFileSync(unhandledErrors, `${JSON.stringify(`${name}: ${message}`)}\n`)
    },
    // Tests wait for PostgreSQL, processes and disks as much as they compute; on 2 cores the default would be one.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      { test: { ...limits, name: 'shared', include: ['src/shared/**/*.test.ts'] } },
      {
        test: {
          ...limits,
          name: 'server',
          include: [
            'src/{server,archive,moving}/**/*.test.ts',
            'rescue/**/*.test.ts',
            'test/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: 'test/global-setup.ts',
        },
      },
      {
        plugins: [react()],
        test: { ...limits, name: 'admin', include: ['src/admin/**/*.test.ts'] },
      },
      {
        plugins: [react()],
        test: {
          ...limits,
          name: 'screens',
          include: ['src/admin/**/*.test.tsx'],
          setupFiles: 'src/admin/lib/testing-setup.ts',
          environment: 'happy-dom',
        },
      },
    ],
  },
})
