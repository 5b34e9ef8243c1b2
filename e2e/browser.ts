import { findChromium, findHeadlessChromium } from '../scripts/lib/chromium.mjs'

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
 * Pages live for seconds: what V8's optimizing compilers and its threads that collect garbage do for them takes longer than
 * it saves, a tenth of all processor time of the journeys.
 */
const shortLived = '--js-flags=--no-turbofan,--no-maglev,--single-threaded-gc,--min-semi-space-size=16'

/** How the browser of most journeys starts: without windows, where there is such a one. */
export const withoutWindows = launch(findHeadlessChromium(), [shortLived])

/** How the whole browser starts, as people have it. */
export const whole = launch(findChromium())
