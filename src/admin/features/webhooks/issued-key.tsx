import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { IssuedSecret } from '#admin/ui/issued-secret.tsx'
import { VerifyCode } from './verify-code.tsx'

interface IssuedKeyProps {
  signingKey: string
  /** The button to continue. */
  children: ReactNode
}

/** A new signing secret, with code that verifies signatures. */
export function IssuedKey({ signingKey, children }: IssuedKeyProps) {
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
      value={signingKey}
      copyLabel={t('copy')}
      usage={usage}
    >
      {children}
    </IssuedSecret>
  )
}
