import { type ComponentType, lazy } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'

/** A part of a field type that is downloaded when it is first shown. */
export function lazyPart<Props>(importer: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadScript(importer) }))
}
