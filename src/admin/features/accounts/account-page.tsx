import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { AccountTabs } from '#admin/features/shell/account-tabs.tsx'
import { api } from '#admin/lib/api.ts'
import { type Account, setAccount, useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { OwnPicture } from '#admin/media/own-picture.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { languages } from '#shared/languages.ts'

/** `/account`: lets users change their own name, picture, language and colour scheme. */
export function AccountPage() {
  const t = useTranslations('accounts.own')
  const account = useAccount()
  if (!account) return null
  return (
    <Page title={t('title')} width="narrow">
      <AccountTabs />
      <ProfileForm account={account} />
      <Appearance account={account} />
    </Page>
  )
}

function ProfileForm({ account }: { account: Account }) {
  const t = useTranslations('accounts.own')
  const common = useTranslations('common')
  const { field, problem, saving, isDirty, formProps } = useEndpointForm('PUT /api/account/{id}', {
    values: { name: account.name },
    params: { id: account._id },
    toBody: ({ name }) => ({ data: { name: name.trim() } }),
    paths: { name: 'data.name' },
    saved: (answer) => {
      setAccount(answer.account)
      toast.success(common('saved'))
    },
  })
  return (
    <Section title={t('profile')}>
      <form {...formProps}>
        <FormStack>
          <AccountIcon account={account} />
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput label={t('email')} value={account.email} readOnly />
          <TextInput
            {...field('name')}
            label={t('name')}
            description={t('nameHint')}
            maxLength={100}
            autoComplete="name"
          />
          {account.isAdmin && (
            <Text size="sm" c="dimmed">
              {t('isAdmin')}
            </Text>
          )}
          <Group>
            <Button type="submit" loading={saving}>
              {common('save')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Section>
  )
}

function AccountIcon({ account }: { account: Account }) {
  const t = useTranslations('assets.accountIcon')
  const common = useTranslations('common')
  const params = { id: account._id }
  const after = async (call: Promise<{ account: Account }>) => {
    setAccount((await call).account)
    toast.success(common('saved'))
  }
  return (
    <OwnPicture
      label={t('label')}
      hint={t('hint')}
      src={account.icon?.src ?? null}
      shape="round"
      upload={(body) => after(api('POST /api/account/{id}/icon', { params, body }))}
      remove={() => after(api('PUT /api/account/{id}', { params, body: { data: { icon: null } } }))}
    >
      {[...(account.name || account.email)][0]?.toUpperCase()}
    </OwnPicture>
  )
}

function Appearance({ account }: { account: Account }) {
  const t = useTranslations('accounts.own')
  const shell = useTranslations('shell')
  const change = useMutation({
    mutationFn: async (data: Partial<Pick<Account, 'language' | 'colorScheme'>>) =>
      setAccount(
        (await api('PUT /api/account/{id}', { params: { id: account._id }, body: { data } })).account,
      ),
  })
  return (
    <Section title={t('display')} description={t('displayText')}>
      <Stack gap="md" align="flex-start">
        <Choice
          label={shell('language')}
          value={account.language}
          data={languages.map((value) => ({ value, label: shell(`languages.${value}`) }))}
          onChange={(language) => change.mutate({ language })}
        />
        <Choice
          label={shell('colorScheme')}
          value={account.colorScheme}
          data={(['auto', 'light', 'dark'] as const).map((value) => ({
            value,
            label: shell(`schemes.${value}`),
          }))}
          onChange={(colorScheme) => change.mutate({ colorScheme })}
        />
      </Stack>
    </Section>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  data: { value: Value; label: string }[]
  onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, value, data, onChange }: ChoiceProps<Value>) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <SegmentedControl
        aria-label={label}
        value={value}
        data={data}
        onChange={(next) => {
          const found = data.find((option) => option.value === next)
          if (found) onChange(found.value)
        }}
      />
    </div>
  )
}
