import { Modal } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { modals, type OpenModal } from '#admin/lib/modals.ts'

/** One modal window: 30 % black behind it, faded in 100 ms (specification §9). */
export function ModalWindow({ modal }: { modal: OpenModal }) {
  const t = useTranslations('common')
  return (
    <Modal
      opened={modal.opened}
      onClose={() => modals.close(modal.id)}
      onExitTransitionEnd={() => modals.forget(modal.id)}
      title={modal.title}
      size={modal.size ?? 'md'}
      centered
      overlayProps={{ color: '#000', backgroundOpacity: 0.3 }}
      transitionProps={{ transition: 'fade', duration: 100 }}
      closeButtonProps={{ 'aria-label': t('close') }}
      styles={{ title: { fontWeight: 650, fontSize: '1.0625rem' } }}
    >
      {modal.children}
    </Modal>
  )
}
