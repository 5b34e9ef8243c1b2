import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { PasswordStep } from '#admin/features/shell/password-step.tsx'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { QrCode } from './qr-code.tsx'

interface TotpSetupProps {
  account: Account
  close: () => void
  done: (recoveryCodes: string[]) => Promise<void>
}

/** Sets up an authenticator app: password, QR code, first code. */
export function TotpSetup({ account, close, done }: TotpSetupProps) {
  const t = useTranslations('secondFactor.app')
  const [secret, setSecret] = useState<{ secret: string; address: string } | null>(null)
  const params = { id: account._id }
  if (!secret)
    return (
      <PasswordStep
        text={t('passwordFirst')}
        action={t('next')}
        close={close}
        submit={async (password) =>
          setSecret(await api('POST /api/account/{id}/secondFactor/totp', { params, body: { password } }))
        }
      />
    )
  return <FirstCode account={account} {...secret} close={close} done={done} />
}

function FirstCode({
  account,
  secret,
  address,
  close,
  done,
}: TotpSetupProps & { secret: string; address: string }) {
  const t = useTranslations('secondFactor.app')
  const common = useTranslations('common')
  const { field, problem, saving, formProps } = useEndpointForm(
    'POST /api/account/{id}/secondFactor/totp/confirm',
    {
      values: { code: '' },
      params: { id: account._id },
      toBody: ({ code }) => ({ code: code.trim() }),
      paths: { code: 'code' },
      codes: { IncorrectCode: 'code' },
      check: ({ code }) => ({ code: code.trim() ? null : issueText({ code: 'Required' }) }),
      saved: async ({ recoveryCodes }) => {
        toast.success(t('turnedOn'))
        await done(recoveryCodes)
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <Text size="sm">{t('scan')}</Text>
        <QrCode text={address} label={t('qrCode')} />
        <CopyField
          label={t('secret')}
          value={secret.replace(/(.{4})(?=.)/g, '$1 ')}
          copyLabel={t('copySecret')}
        />
        <FormProblem text={problem} />
        <TextInput
          {...field('code')}
          label={t('firstCode')}
          description={t('firstCodeHint')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          autoFocus
        />
        <Group>
          <Button type="submit" loading={saving}>
            {t('turnOn')}
          </Button>
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
