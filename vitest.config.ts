import { appendFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const isFull = process.env.IMORI_TEST_LENGTH === 'full'
/**
 * Factor for the time limits in this file, except the limit of tests at full length. `npm test` measures how slow the
 * machine is (scripts/lib/speed.mjs).
 */
const patience = Number(process.env.IMORI_TEST_PATIENCE ?? 1)
/** Path of the file that receives errors outside of tests, one JSON string per line. */
const unhandledErrors = process.env.IMORI_TEST_ERRORS

/**
 * Test files of one worker share a process and its loaded modules (`isolate: false`), because starting and importing
 * for each file took longer than the tests. Module state therefore outlives a file.
 *
 * An admin test that needs a DOM document is a `.test.tsx`, even without JSX. Creating a document takes longer than
 * most other tests, and a worker that switches between environments imports all modules again.
 */
const limits = {
  // The limits only end tests that hang. Waits return as soon as their condition is met.
  testTimeout: isFull ? 3_600_000 : 240_000 * patience,
  hookTimeout: 240_000 * patience,
  expect: { poll: { timeout: 60_000 * patience } },
  pool: 'forks',
  isolate: false,
  // The tests keep all cores busy. Garbage collection in extra threads, or frequent garbage collection, would slow them
  // down.
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
    // Tests wait for PostgreSQL, processes and disks about as long as they compute. On 2 cores the default would be one
    // worker.
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
