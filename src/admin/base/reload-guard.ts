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
}

/** While the server is unreachable, a reload would replace the person's work with the browser's error page. */
async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
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
    return await importer()
  } catch (cause) {
    if ((await serverAnswers()) && reload()) return new Promise<never>(() => undefined)
    throw new ScriptLoadError('A part of the admin could not be loaded', { cause })
  }
}
