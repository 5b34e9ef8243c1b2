import { CloseButton, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { closeToast, type Toast, toastTime, useToasts } from '#admin/lib/toast.ts'
import classes from './toasts.module.css'

/** Renders the toasts. A toast stays open while it has the pointer or the focus. */
export function Toasts() {
  const toasts = useToasts()
  const t = useTranslations('common')
  return (
    <section className={classes.host} data-toasts aria-label={t('notifications')} aria-live="polite">
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastView({ toast }: { toast: Toast }) {
  const t = useTranslations('common')
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => closeToast(toast.id), toastTime)
    return () => clearTimeout(timer)
  }, [toast.id, held])

  const Icon = toast.type === 'success' ? IconCircleCheck : IconAlertTriangle
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps the toast open; its button closes it.
    <div
      role={toast.type === 'error' ? 'alert' : 'status'}
      className={classes.toast}
      data-type={toast.type}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon size={18} className={classes.icon} aria-hidden="true" />
      <div className={classes.message}>{toast.message}</div>
      {toast.action && (
        <UnstyledButton
          className={classes.action}
          onClick={() => {
            toast.action?.run()
            closeToast(toast.id)
          }}
        >
          {toast.action.label}
        </UnstyledButton>
      )}
      <CloseButton
        className={classes.close}
        size="sm"
        aria-label={t('close')}
        onClick={() => closeToast(toast.id)}
      />
    </div>
  )
}
