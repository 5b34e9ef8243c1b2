import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { IssuedSecret } from '#admin/ui/issued-secret.tsx'
import { VerifyCode } from './verify-code.tsx'

interface IssuedSigningSecretProps {
  signingSecret: string
  /** The button to continue. */
  children: ReactNode
}

/** A new signing secret, with code that verifies signatures. */
export function IssuedSigningSecret({ signingSecret, children }: IssuedSigningSecretProps) {
  const t = useTranslations('webhooks.key')
  const usage = (
    <>
      <Text size="sm" mt="md">
        {t('verifyText')}
      </Text>
      <VerifyCode />
    </>
  )
  return (
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
  )
}
