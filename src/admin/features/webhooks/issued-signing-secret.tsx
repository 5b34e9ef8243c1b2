import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { IssuedSecret } from '#admin/ui/issued-secret.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { VerifyCode } from './verify-code.tsx'

interface IssuedSigningSecretProps {
  signingSecret: string
  /** Whether leaving the page needs no confirmation, because the receiver does not need the secret. */
  isOptional?: boolean
  /** The button to continue. */
  children?: ReactNode
}

/** A new signing secret, with code that verifies signatures. Asks for confirmation before the page is left. */
export function IssuedSigningSecret({
  signingSecret,
  isOptional = false,
  children,
}: IssuedSigningSecretProps) {
  const t = useTranslations('webhooks.key')
  const leave = useTranslations('webhooks.created.leave')
  const texts = { title: leave('title'), text: leave('text'), stay: leave('stay'), leave: leave('leave') }
  const usage = (
    <>
      <Text size="sm" mt="md">
        {t('verifyText')}
      </Text>
      <VerifyCode />
    </>
  )
  return (
    <>
      <UnsavedGuard when={!isOptional} ignoresSearch texts={texts} />
      <IssuedSecret
        title={t('issued')}
        text={t('issuedText')}
        label={t('name')}
        value={signingSecret}
        copyLabel={t('copy')}
        usage={usage}
      >
        {children}
      </IssuedSecret>
    </>
  )
}
