import { lazyRouteComponent } from '@tanstack/react-router'
import { loadScript } from '#admin/base/reload-guard.ts'

/**
 * A page that is downloaded when it is first visited: `lazyPage(() => import('./login-page.tsx'), 'LoginPage')`.
 * `also` loads what the page needs beside its code (`loadEditingTexts`); it is shown when both are there.
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
