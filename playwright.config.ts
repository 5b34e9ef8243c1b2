import { defineConfig } from '@playwright/test'
import { withoutWindows } from './e2e/browser.ts'

/**
 * Factor for the time limits in this file; limits in test files are not multiplied. `npm test` measures how slow the
 * machine is (scripts/lib/speed.mjs).
 */
const patience = Number(process.env.IMORI_TEST_PATIENCE ?? 1)

/** Files that take more than 30 seconds. They start first; otherwise the last of them would run alone at the end. */
const long = [
  'writing',
  'library',
  'sections',
  'flow',
  'looks',
  'templates',
  'views',
  'people',
  'moves',
  'hostile-texts',
].map((name) => `${name}.spec.ts`)

/** The tests start the build of Imori that `npm run build` created (e2e/fixtures.ts). */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/global-setup.ts',
  outputDir: 'test-results',
  // The limits only end tests that hang. Waits return as soon as their condition is met.
  timeout: 300_000 * patience,
  expect: { timeout: 60_000 * patience },
  workers: 3,
  projects: [
    { name: 'long', testMatch: long },
    { name: 'short', testIgnore: long },
  ],
  forbidOnly: !!process.env.CI,
  use: {
    actionTimeout: 60_000 * patience,
    navigationTimeout: 60_000 * patience,
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    viewport: { width: 1280, height: 800 },
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: withoutWindows,
  },
})
