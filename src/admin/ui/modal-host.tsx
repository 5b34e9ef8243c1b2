import { Suspense, useEffect } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useModals } from '#admin/lib/modals.ts'

const importWindow = () => import('./modal-window.tsx')
const ModalWindow = lazyPart(async () => (await importWindow()).ModalWindow)

/**
 * Renders the open modals. Their code is downloaded shortly after the page, so that modals can still open after the
 * connection is lost.
 */
export function ModalHost() {
  const modals = useModals()
  useEffect(() => {
    const timer = setTimeout(() => importWindow().catch(() => undefined), 3000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Suspense fallback={null}>
      {modals.map((modal) => (
        <ModalWindow key={modal.id} modal={modal} />
      ))}
    </Suspense>
  )
}
