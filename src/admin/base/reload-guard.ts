const key = 'imori-reloaded-at'
/** How long a reload forbids the next one, in milliseconds (specification §9). */
export const reloadGuardTime = 10_000

/**
 * Reloads the page after a script could not be loaded (a new version was installed, its old chunks are gone), unless
 * that was done less than ten seconds ago. True when the page is being reloaded.
 */
export function reloadOnce(
  storage: Pick<Storage, 'getItem' | 'setItem'> = sessionStorage,
  reload: () => void = () => location.reload(),
  now: number = Date.now(),
): boolean {
  const last = Number(storage.getItem(key) ?? Number.NaN)
  // `now < last`: the clock was set back; then the flag says nothing.
  if (now >= last && now - last < reloadGuardTime) return false
  storage.setItem(key, String(now))
  reload()
  return true
}

/** A script that could not be loaded although the page was reloaded just now. */
export class ScriptLoadError extends Error {
  override name = 'ScriptLoadError'
}

/** While the server cannot be reached, a reload would put the browser's error in the place of somebody's work. */
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
