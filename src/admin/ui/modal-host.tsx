import { ModalsProvider } from '@mantine/modals'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'

/** The one host of modal windows: 30 % black behind them, faded in 100 ms. Open one with `modals.open` of Mantine. */
export function ModalHost({ children }: { children: ReactNode }) {
  const t = useTranslations('common')
  return (
    <ModalsProvider
      labels={{ confirm: t('ok'), cancel: t('cancel') }}
      modalProps={{
        centered: true,
        overlayProps: { color: '#000', backgroundOpacity: 0.3 },
        transitionProps: { transition: 'fade', duration: 100 },
        styles: { title: { fontWeight: 650, fontSize: '1.0625rem' } },
        closeButtonProps: { 'aria-label': t('close') },
      }}
    >
      {children}
    </ModalsProvider>
  )
}
