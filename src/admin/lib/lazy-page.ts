import { lazyRouteComponent } from '@tanstack/react-router'
import { loadScript } from '#admin/base/reload-guard.ts'

/**
 * Returns a page whose code is downloaded on the first visit: `lazyPage(() => import('./login-page.tsx'),
 * 'LoginPage')`. `also` loads data that the page needs in addition to its code (`loadEditingTexts`).
 */
export function lazyPage<Module extends object, Name extends keyof Module>(
  importer: () => Promise<Module>,
  name: Name,
  also?: () => Promise<void>,
) {
  return lazyRouteComponent<Module, Name>(async () => {
    const [module] = await Promise.all([loadScript(importer), also?.()])
    return module
  }, name)
}
