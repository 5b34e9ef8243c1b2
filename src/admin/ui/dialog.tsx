import { Modal, type ModalProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { useLayer } from '#admin/lib/layers.ts'

type DialogProps = Pick<
  ModalProps,
  'onClose' | 'size' | 'title' | 'children' | 'withCloseButton' | 'onExitTransitionEnd'
> & {
  /** Omitted if the dialog is only mounted while it is open. */
  opened?: boolean
}

/**
 * A modal window over a layer of 30 % black, with a fade of 100 ms. The focus returns when the
 * dialog is unmounted. A click outside closes the dialog until the user has entered text in it.
 */
export function Dialog({ opened = true, size = 'md', children, ...props }: DialogProps) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState(false)
  useFocusBack()
  useLayer(opened, props.onClose)
  return (
    <Modal
      opened={opened}
      size={size}
      centered
      overlayProps={{ color: '#000', backgroundOpacity: 0.3 }}
      transitionProps={{ transition: 'fade', duration: 100 }}
      closeButtonProps={{ 'aria-label': t('close') }}
      styles={{ title: { fontWeight: 650, fontSize: '1.0625rem' } }}
      // Mantine's `<header>` would be a second banner landmark.
      attributes={{ header: { role: 'none' } }}
      // After input, a click outside the form is probably a mistake.
      closeOnClickOutside={!typed}
      {...props}
    >
      <div onInput={() => setTyped(true)}>{children}</div>
    </Modal>
  )
}
