import { defineConfig } from '@playwright/test'
import { findHeadlessChromium } from './scripts/lib/chromium.mjs'

const executablePath = findHeadlessChromium()

/**
 * Chromium makes renderers of its own beside those of the pages: a spare one, and pages for the suggestions below the
 * address bar of each window, which nobody sees here and which cost more than most pages of Imori. The rest is
 * Playwright's own list, which this one replaces.
 */
const disabledFeatures = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
].join()

/**
 * Nothing outside of this machine answers: no journey depends on it. It also spares pages a `route`, with which the browser
 * keeps no file and no compiled code from one load of a page to the next.
 */
const noOutside = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1'

/** Each file has an Imori of its own (e2e/app.ts), built by `npm run build` before. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/global-setup.ts',
  outputDir: 'test-results',
  // Nothing here is waited for longer than it takes: limits are for machines that are busy with other work.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  workers: 3,
  forbidOnly: !!process.env.CI,
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    viewport: { width: 1280, height: 800 },
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${disabledFeatures}`,
        '--no-proxy-server',
        `--host-resolver-rules=${noOutside}`,
      ],
    },
  },
})
