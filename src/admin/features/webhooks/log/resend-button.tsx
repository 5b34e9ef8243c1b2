import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Webhook } from '#shared/contract/webhooks.ts'

type ResendButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'button'>, 'color' | 'style'>

/** A button that resends requests. For a disabled webhook, it only shows the reason why nothing can be resent. */
export function ResendButton({
  webhook,
  onClick,
  ...props
}: ResendButtonProps & { webhook: Pick<Webhook, 'enabled'> }) {
  const t = useTranslations('webhooks.log.redeliver')
  if (webhook.enabled) return <Button variant="default" onClick={onClick} {...props} />
  return (
    <Tooltip label={t('disabled')} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      {/* The button stays focusable, so that its reason can be read. */}
      <Button variant="default" {...props} data-disabled aria-disabled />
    </Tooltip>
  )
}
