import { lazy, Suspense } from 'react'
import { useModals } from '#admin/lib/modals.ts'
import { loadScript } from '#admin/lib/reload-guard.ts'

const ModalWindow = lazy(async () => ({
  default: (await loadScript(() => import('./modal-window.tsx'))).ModalWindow,
}))

/** Where modal windows appear. Their code comes with the first one. */
export function ModalHost() {
  const modals = useModals()
  return (
    <Suspense fallback={null}>
      {modals.map((modal) => (
        <ModalWindow key={modal.id} modal={modal} />
      ))}
    </Suspense>
  )
}
