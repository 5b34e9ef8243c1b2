import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { type Account, checkAccount, useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { PasswordStep } from './password-step.tsx'

/**
 * Starts the confirmation of the account's email address. Without a mail server, admins of the installation confirm it
 * with their password, and other users ask an admin for the link. `children`: further buttons in the same row.
 */
export function VerifyAddress({ account, children }: { account: Account; children?: ReactNode }) {
  const sendsMail = useSendsMail()
  if (!sendsMail && account.isAdmin) return <ConfirmOwn account={account}>{children}</ConfirmOwn>
  return (
    <Stack gap="md">
      {!sendsMail && <NoMailNote />}
      <Group>
        <RequestLink account={account} sendsMail={sendsMail} />
        {children}
      </Group>
    </Stack>
  )
}

function RequestLink({ account, sendsMail }: { account: Account; sendsMail: boolean }) {
  const t = useTranslations('accountSecurity.email')
  const { isPending, mutate } = useMutation({
    mutationFn: () => api('POST /api/account/{id}/emailVerification', { params: { id: account._id } }),
    onSuccess: () =>
      toast.success(sendsMail ? t('verificationSent', { email: account.email }) : t('linkCreated')),
  })
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      {t(sendsMail ? 'sendVerification' : 'createLink')}
    </Button>
  )
}

function ConfirmOwn({ account, children }: { account: Account; children: ReactNode }) {
  const t = useTranslations('accountSecurity')
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  if (asking)
    return (
      <PasswordStep
        text={t('email.confirmOwnStep', { email: account.email })}
        action={t('confirm.confirm')}
        close={() => setAsking(false)}
        submit={async (password) => {
          await api('POST /api/account/{id}/emailConfirmation', {
            params: { id: account._id },
            body: { password },
          })
          await checkAccount({ force: true })
          await queryClient.invalidateQueries({ queryKey: ['account', account._id] })
          toast.success(t('confirm.confirmed', { email: account.email }))
        }}
      />
    )
  return (
    <Stack gap="md">
      <Text size="sm">{t('email.confirmOwnText')}</Text>
      <Group>
        <Button onClick={() => setAsking(true)}>{t('email.confirmOwn')}</Button>
        {children}
      </Group>
    </Stack>
  )
}
