import { type ComponentType, lazy } from 'react'
import { loadScript, loadWhenOnline, ScriptLoadError } from '#admin/base/reload-guard.ts'
import { errorText } from './errors.ts'
import { toast } from './toast.ts'

/**
 * Returns a component that is downloaded when it is first shown: `lazyPart(async () => (await
 * import('./map.tsx')).Map)`. `also` loads data that the component needs in addition to its code (`loadEditingTexts`).
 * While the server is unreachable, the Suspense fallback stays.
 */
export function lazyPart<Props>(importer: () => Promise<ComponentType<Props>>, also?: () => Promise<void>) {
  const load = async () => (await Promise.all([loadScript(importer), also?.()]))[0]
  // React calls this function only once and never retries after an error.
  return lazy(async () => ({ default: await loadWhenOnline(load, reportOffline) }))
}

const reportOffline = () => void toast.error(errorText(new ScriptLoadError(true, null)))
