import { modals, type OpenModal } from '#admin/lib/modals.ts'
import { Dialog } from './dialog.tsx'

/** One modal window from the {@link modals} store. */
export function ModalWindow({ modal }: { modal: OpenModal }) {
  return (
    <Dialog
      opened={modal.opened}
      onClose={() => modals.close(modal.id)}
      onExitTransitionEnd={() => modals.forget(modal.id)}
      title={modal.title}
      size={modal.size ?? 'md'}
    >
      {modal.children}
    </Dialog>
  )
}
