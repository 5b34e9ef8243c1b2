import { whenReconnected } from './reconnect.ts'

const key = 'imori-reloaded-at'
/** Time after a reload in which another reload is suppressed, in milliseconds. */
export const reloadGuardTime = 10_000

/**
 * Reloads the page, unless this function reloaded it less than ten seconds ago. A reload is needed when a script fails
 * to load, for example because a new version was installed and the old chunks were deleted. Returns true if the page is
 * being reloaded.
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

/**
 * Error for a script that failed to load, after which the page was not reloaded: the server was unreachable, or a
 * reload was suppressed.
 */
export class ScriptLoadError extends Error {
  override name = 'ScriptLoadError'
  /** Whether the server was unreachable. */
  readonly isOffline: boolean

  constructor(isOffline: boolean, cause: unknown) {
    super('A part of the admin could not be loaded', { cause })
    this.isOffline = isOffline
  }
}

/** Throws an error unless the server answers with a success status. */
async function requireServer(): Promise<void> {
  const answer = await fetch('/', { method: 'HEAD', cache: 'no-store' })
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
}

/** The URLs of style sheets that failed to load. Vite does not request them again when it loads their script again. */
const failedStyles = new Set<string>()

/**
 * Records built style sheets that fail to load, for {@link loadScript}. Ignores other style sheets, such as those that
 * browser extensions add.
 */
export function trackFailedStyles(): void {
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
    // `/assets/` is Vite's `build.assetsDir`.
    if (!target.href.startsWith(`${location.origin}/assets/`)) return
    failedStyles.add(target.href)
    target.remove()
  }
  // `error` events of elements do not bubble.
  window.addEventListener('error', onError, { capture: true })
}

/**
 * Requests the failed style sheets again. Ignores sheets that still fail, as long as the server is reachable.
 * @throws Error if a sheet fails and the server is unreachable
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
 * Runs a dynamic import. If the import fails while the server is reachable, reloads the page and leaves the promise
 * pending.
 * @throws ScriptLoadError if the script or a style sheet fails to load while the server is unreachable. Also thrown if
 * the script fails and `reload` returns false, by default because the page was reloaded less than ten seconds ago
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
    // While the server is unreachable, a reload would replace the user's work with the browser's error page.
    if (isOnline && reload()) return new Promise<never>(() => undefined)
    throw new ScriptLoadError(!isOnline, cause)
  }
}

/**
 * Returns the result of `load`. While `load` fails because the server is unreachable, calls it again each time the
 * server answers. Calls `onOffline` before each wait.
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
