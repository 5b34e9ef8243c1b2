import { lazyRouteComponent } from '@tanstack/react-router'
import { loadScript } from './reload-guard.ts'

/** A page that is downloaded when it is first visited: `lazyPage(() => import('./login-page.tsx'), 'LoginPage')`. */
export function lazyPage<Module extends object, Name extends keyof Module>(
  importer: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent<Module, Name>(() => loadScript(importer), name)
}
