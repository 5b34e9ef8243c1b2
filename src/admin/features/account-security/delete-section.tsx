import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { type Account, setAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'

/** A button that opens a form to delete the account. The form requires the password. */
export function DeleteSection({ account }: { account: Account }) {
  const t = useTranslations('accountSecurity.delete')
  const [asking, setAsking] = useState(false)
  return (
    <Section title={t('title')} danger>
      <Stack gap="md">
        <Text size="sm">{t('text')}</Text>
        {asking ? (
          <DeleteForm account={account} close={() => setAsking(false)} />
        ) : (
          <Group>
            <Button variant="light" color="red" onClick={() => setAsking(true)}>
              {t('begin')}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

function DeleteForm({ account, close }: { account: Account; close: () => void }) {
  const t = useTranslations('accountSecurity.delete')
  const common = useTranslations('common')
  const guest = useTranslations('accounts.guest')
  const router = useRouter()
  const [spaces, setSpaces] = useState<string[]>([])
  const { field, problem, saving, formProps } = useEndpointForm('POST /api/account/{id}/delete', {
    values: { password: '' },
    params: { id: account._id },
    toBody: (values) => values,
    paths: { password: 'password' },
    codes: { IncorrectPassword: 'password' },
    check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
    failed: (error) =>
      setSpaces(
        error instanceof ApiError && Array.isArray(error.details.spaces)
          ? error.details.spaces.map(({ name }: { name: string }) => name)
          : [],
      ),
    saved: async () => {
      setAccount(null)
      toast.success(t('done'))
      await router.navigate({ to: '/login', replace: true })
    },
  })
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={spaces.length > 0 ? t('lastAdmin', { names: spaces.join('、') }) : problem} />
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
        />
        <Group>
          <Button type="submit" color="red.8" loading={saving}>
            {t('delete')}
          </Button>
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
