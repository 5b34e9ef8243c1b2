import { whenReconnected } from './reconnect.ts'

const key = 'imori-reloaded-at'
/** How long after a reload another one is suppressed, in milliseconds (specification §9). */
export const reloadGuardTime = 10_000

/**
 * Reloads the page after a script failed to load (a new version was installed and the old chunks are gone), unless it
 * was reloaded less than ten seconds ago. Returns true if the page is being reloaded.
 */
export function reloadOnce(
  storage: Pick<Storage, 'getItem' | 'setItem'> = sessionStorage,
  reload: () => void = () => location.reload(),
  now: number = Date.now(),
): boolean {
  const last = Number(storage.getItem(key) ?? Number.NaN)
  // `now < last` means that the clock was set back; the stored time is then ignored.
  if (now >= last && now - last < reloadGuardTime) return false
  storage.setItem(key, String(now))
  reload()
  return true
}

/** A script that failed to load although the page was just reloaded, or while the server is unreachable. */
export class ScriptLoadError extends Error {
  override name = 'ScriptLoadError'
  /** Whether the server was unreachable. */
  readonly isOffline: boolean

  constructor(isOffline: boolean, cause: unknown) {
    super('A part of the admin could not be loaded', { cause })
    this.isOffline = isOffline
  }
}

/** @throws Error unless the server answers */
async function requireServer(): Promise<void> {
  const answer = await fetch('/', { method: 'HEAD', cache: 'no-store' })
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
}

/** The addresses of style sheets that failed to load. Vite does not request them again with their script. */
const failedStyles = new Set<string>()

/** Notes built style sheets that fail to load, for {@link loadScript}. Ignores others, such as those of browser extensions. */
export function trackFailedStyles(): void {
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
    // Vite's `build.assetsDir`.
    if (!target.href.startsWith(`${location.origin}/assets/`)) return
    failedStyles.add(target.href)
    target.remove()
  }
  // Errors of elements do not bubble.
  window.addEventListener('error', onError, { capture: true })
}

/**
 * Requests the failed style sheets again. One that the server does not deliver stops no script.
 * @throws Error if one fails because the server is unreachable
 */
async function loadFailedStyles(): Promise<void> {
  const addresses = [...failedStyles]
  failedStyles.clear()
  const outcomes = await Promise.allSettled(
    addresses.map(
      (href) =>
        new Promise((resolve, reject) => {
          const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
          link.addEventListener('load', resolve)
          link.addEventListener('error', reject)
          document.head.append(link)
        }),
    ),
  )
  if (outcomes.some(({ status }) => status === 'rejected')) await requireServer()
}

/**
 * A dynamic import whose failure reloads the page once. While it reloads, the promise stays pending.
 * @throws ScriptLoadError when the page was reloaded just now or the server cannot be reached
 */
export async function loadScript<T>(
  importer: () => Promise<T>,
  reload: () => boolean = reloadOnce,
): Promise<T> {
  try {
    await loadFailedStyles()
    return await importer()
  } catch (cause) {
    const isOnline = await requireServer().then(
      () => true,
      () => false,
    )
    // While the server is unreachable, a reload would replace the person's work with the browser's error page.
    if (isOnline && reload()) return new Promise<never>(() => undefined)
    throw new ScriptLoadError(!isOnline, cause)
  }
}

/**
 * Returns what `load` returns. While it fails because the server is unreachable, calls it again whenever the server
 * answers; `onOffline` is called before each wait.
 */
export async function loadWhenOnline<T>(load: () => Promise<T>, onOffline?: () => void): Promise<T> {
  for (;;)
    try {
      return await load()
    } catch (error) {
      if (!(error instanceof ScriptLoadError && error.isOffline)) throw error
      onOffline?.()
      await new Promise<void>((resolve) => whenReconnected(requireServer, resolve))
    }
}
