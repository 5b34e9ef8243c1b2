import { findChromium, findHeadlessChromium } from '../scripts/lib/chromium.mjs'

/**
 * Chromium starts additional renderers: a spare one, and pages for the address bar suggestions of each window. The
 * suggestions are invisible in tests and cost more than most pages of Imori. The other features are from Playwright's
 * own list, which this list replaces.
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
 * Blocks other hosts, because no journey needs them. A `route` for pages would block them as well, but would also
 * disable the browser's file and code caches between page loads.
 */
const noOutside = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1'

const args = [
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
]

const launch = (executablePath: string | undefined, more: string[] = []) => ({
  ...(executablePath ? { executablePath } : {}),
  args: [...args, ...more],
})

/**
 * Pages are open for seconds only. V8's optimizing compilers and parallel garbage collection therefore cost more than
 * they save: a tenth of all CPU time of the journeys.
 */
const shortLived = '--js-flags=--no-turbofan,--no-maglev,--single-threaded-gc,--min-semi-space-size=16'

/** Launch options of most journeys: the headless browser, if it is installed. */
export const withoutWindows = launch(findHeadlessChromium(), [shortLived])

/** Launch options of the full browser, as users have it. */
export const whole = launch(findChromium())
