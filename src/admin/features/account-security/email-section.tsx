import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { VerifyAddress } from '#admin/features/shell/verify-address.tsx'
import { api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { type Account, useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { Section } from '#admin/ui/section.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import { accountSecurityQuery } from './account-security.queries.ts'

interface EmailChange {
  email: string
  confirmedByNew: boolean
  confirmedByPresent: boolean
}

/** The email address: whether it is verified, and a form to change it. */
export function EmailSection({ account, pending }: { account: Account; pending: EmailChange | null }) {
  const t = useTranslations('accountSecurity.email')
  const sendsMail = useSendsMail()
  const [editing, setEditing] = useState(false)
  const change = (
    <Button variant="default" onClick={() => setEditing(true)}>
      {t('change')}
    </Button>
  )
  return (
    <Section title={t('title')}>
      <Stack gap="md">
        <Group gap="xs" wrap="wrap">
          <Text style={{ overflowWrap: 'anywhere' }}>{account.email}</Text>
          <StateChip
            color={account.emailVerified ? 'mizu' : 'gray'}
            icon={account.emailVerified ? IconCircleCheck : IconCircleDashed}
            text={t(account.emailVerified ? 'verified' : 'unverified')}
          />
        </Group>
        {!account.emailVerified && (
          <Text size="sm" c="dimmed">
            {t(sendsMail ? 'whyVerify' : 'whyVerifyNoMail')}
          </Text>
        )}
        {pending && <Pending account={account} change={pending} />}
        {editing ? (
          <EmailForm account={account} close={() => setEditing(false)} />
        ) : account.emailVerified ? (
          <Group>{change}</Group>
        ) : (
          <VerifyAddress account={account}>{change}</VerifyAddress>
        )}
      </Stack>
    </Section>
  )
}

/** A pending change of the email address. One or both of the addresses still have to confirm it. */
function Pending({ account, change }: { account: Account; change: EmailChange }) {
  const t = useTranslations('accountSecurity.email')
  const common = useTranslations('common')
  const sendsMail = useSendsMail()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => api('DELETE /api/account/{id}/email', { params: { id: account._id } }),
    onSuccess: () => queryClient.invalidateQueries(accountSecurityQuery(account._id)),
    onError: (error) => toast.error(errorText(error)),
  })
  const waiting = [
    ...(change.confirmedByNew ? [] : [change.email]),
    ...(change.confirmedByPresent ? [] : [account.email]),
  ]
  return (
    <Alert color="mizu" variant="light" title={t('pending', { email: change.email })}>
      <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('waiting', { count: waiting.length, first: waiting[0] ?? '', second: waiting[1] ?? '' })}{' '}
        {!sendsMail && common('noMail')}
      </Text>
      <Button variant="default" size="compact-md" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {t('cancelChange')}
      </Button>
    </Alert>
  )
}

function EmailForm({ account, close }: { account: Account; close: () => void }) {
  const t = useTranslations('accountSecurity.email')
  const common = useTranslations('common')
  const guest = useTranslations('accounts.guest')
  const sendsMail = useSendsMail()
  const queryClient = useQueryClient()
  const { field, problem, saving, formProps } = useEndpointForm('POST /api/account/{id}/email', {
    values: { email: '', password: '' },
    params: { id: account._id },
    toBody: ({ email, password }) => ({ email: email.trim(), password }),
    paths: { email: 'email', password: 'password' },
    check: ({ email, password }) => ({
      email: /^\S+@\S+$/.test(email.trim()) ? null : guest('emailFormat'),
      password: password ? null : issueText({ code: 'Required' }),
    }),
    codes: { IncorrectPassword: 'password' },
    saved: async () => {
      await queryClient.invalidateQueries(accountSecurityQuery(account._id))
      toast.success(t(sendsMail ? 'changeSent' : 'changeAsked'))
      close()
    },
  })
  const hint = sendsMail
    ? t(account.emailVerified ? 'newEmailHint' : 'newEmailHintUnverified')
    : t('newEmailHintNoMail', { count: account.emailVerified ? 2 : 1 })
  return (
    <form {...formProps}>
      <FormStack>
        {!sendsMail && <NoMailNote />}
        <FormProblem text={problem} />
        <TextInput
          {...field('email')}
          label={t('newEmail')}
          description={hint}
          type="email"
          autoComplete="email"
          autoFocus
        />
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
        />
        <Group>
          <Button type="submit" loading={saving}>
            {t(sendsMail ? 'sendChange' : 'askChange')}
          </Button>
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
