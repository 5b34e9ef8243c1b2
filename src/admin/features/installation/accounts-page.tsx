import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useForm } from '#admin/lib/use-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'

const find = async (email: string) => (await api('GET /api/admin/account', { query: { email } })).account
type Found = NonNullable<Awaited<ReturnType<typeof find>>>

/** `/admin/accounts`: restores access for people who cannot sign in. */
export function AccountsPage() {
  const t = useTranslations('installation.accounts')
  const [asked, setAsked] = useState<{ email: string; account: Found | null } | null>(null)
  const look = async (email: string) => setAsked({ email, account: await find(email) })
  const { field, problem, saving, formProps } = useForm({
    values: { email: '' },
    check: ({ email }) => ({ email: email.trim() ? null : issueText({ code: 'Required' }) }),
    submit: ({ email }) => look(email.trim()),
  })
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      <Section title={t('find')}>
        <form {...formProps}>
          <FormStack>
            <FormProblem text={problem} />
            <TextInput {...field('email')} label={t('email')} type="email" autoComplete="off" />
            <Group>
              <Button type="submit" loading={saving}>
                {t('find')}
              </Button>
            </Group>
          </FormStack>
        </form>
      </Section>
      {asked && !asked.account && <Text role="status">{t('none', { email: asked.email })}</Text>}
      {asked?.account && (
        <Account key={asked.account._id} account={asked.account} again={() => look(asked.email)} />
      )}
    </Page>
  )
}

function Account({ account, again }: { account: Found; again: () => Promise<void> }) {
  const t = useTranslations('installation.accounts')
  const [resetting, setResetting] = useState(false)
  const { hasSecondFactor, emailVerified, isAdmin } = account
  return (
    <Section title={account.name || account.email} description={account.email}>
      <Stack gap="md">
        <Group gap="xs">
          <StateChip
            color={hasSecondFactor ? 'mizu' : 'gray'}
            icon={hasSecondFactor ? IconCircleCheck : IconCircleDashed}
            text={t(hasSecondFactor ? 'on' : 'off')}
          />
          {!emailVerified && <StateChip color="gray" icon={IconCircleDashed} text={t('unverified')} />}
          {isAdmin && <StateChip color="mizu" icon={IconCircleCheck} text={t('admin')} />}
        </Group>
        {hasSecondFactor &&
          (resetting ? (
            <Reset account={account} close={() => setResetting(false)} done={again} />
          ) : (
            <Group>
              <Button variant="light" color="red" onClick={() => setResetting(true)}>
                {t('reset')}
              </Button>
            </Group>
          ))}
      </Stack>
    </Section>
  )
}

interface ResetProps {
  account: Found
  close: () => void
  done: () => Promise<void>
}

function Reset({ account, close, done }: ResetProps) {
  const t = useTranslations('installation.accounts')
  const common = useTranslations('common')
  const guest = useTranslations('accounts.guest')
  const sendsMail = useSendsMail()
  const { field, problem, saving, formProps } = useEndpointForm(
    'POST /api/admin/account/{id}/resetSecondFactor',
    {
      values: { password: '' },
      params: { id: account._id },
      toBody: (values) => values,
      paths: { password: 'password' },
      codes: { IncorrectPassword: 'password' },
      check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
      saved: async () => {
        toast.success(t('done'))
        close()
        await done()
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <Text size="sm">
          {t('resetText', { name: account.name || account.email, sendsMail: String(sendsMail) })}
        </Text>
        <FormProblem text={problem} />
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
        />
        <Group>
          <Button type="submit" loading={saving} color="red.8">
            {t('reset')}
          </Button>
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
