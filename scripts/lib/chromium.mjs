import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** Returns the path in CHROMIUM_PATH or of an installed Chromium; undefined if it does not exist. */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH
  return wanted ? (existsSync(wanted) ? wanted : undefined) : usualPlaces.find((path) => existsSync(path))
}

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Returns the path of the Chromium for journeys: Debian's headless build, which shows the same pages for two thirds of
 * the CPU time. Returns the result of `findChromium` if it is not installed or CHROMIUM_PATH is set.
 */
export function findHeadlessChromium() {
  return !process.env.CHROMIUM_PATH && existsSync(headlessShell) ? headlessShell : findChromium()
}

/**
 * Works like `findChromium`, but as root on Debian it first installs a missing Chromium. Returns undefined if Chromium
 * is still missing.
 */
export function ensureChromium() {
  const found = findChromium()
  if (found || process.env.CHROMIUM_PATH) return found
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined
  console.log('Installing Chromium for the browser tests (apt-get) …')
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }
  spawnSync('apt-get', ['update'], options)
  // The packages are installed one by one, because not every release has the headless build. Without that, journeys use
  // the full browser.
  for (const name of ['chromium', 'chromium-headless-shell'])
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], options)
  return findChromium()
}
