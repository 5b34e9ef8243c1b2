import { Button, Group, PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { forgetCsrfToken } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { accountSecurityQuery } from './account-security.queries.ts'
import { minimumPassword, newPasswordProblem } from './new-password.ts'

/** A form to change the password. */
export function PasswordSection({ account }: { account: Account }) {
  // A new form is mounted after each change, so that no password remains in it.
  const [changes, setChanges] = useState(0)
  return <PasswordForm key={changes} account={account} done={() => setChanges(changes + 1)} />
}

function PasswordForm({ account, done }: { account: Account; done: () => void }) {
  const t = useTranslations('accountSecurity.password')
  const guest = useTranslations('accounts.guest')
  const queryClient = useQueryClient()
  const { field, problem, saving, isDirty, formProps } = useEndpointForm('POST /api/account/{id}/password', {
    values: { password: '', newPassword: '' },
    params: { id: account._id },
    toBody: (values) => values,
    paths: { password: 'password', newPassword: 'newPassword' },
    codes: { InvalidPassword: 'newPassword', IncorrectPassword: 'password' },
    check: ({ password, newPassword }) => ({
      password: password ? null : issueText({ code: 'Required' }),
      newPassword: newPasswordProblem(newPassword),
    }),
    saved: async () => {
      forgetCsrfToken()
      toast.success(t('changed'))
      await queryClient.invalidateQueries(accountSecurityQuery(account._id))
      done()
    },
  })
  const toggle = { 'aria-label': guest('showPassword') }
  return (
    <Section title={t('title')} description={t('text')}>
      <form {...formProps}>
        <UnsavedGuard when={isDirty} />
        <FormStack>
          <FormProblem text={problem} />
          {/* Password managers read from this input which account the password belongs to. */}
          <input type="hidden" name="username" autoComplete="username" value={account.email} readOnly />
          <PasswordInput
            {...field('password')}
            label={t('present')}
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
          />
          <PasswordInput
            {...field('newPassword')}
            label={t('new')}
            description={guest('passwordHint', { minimum: minimumPassword })}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
          />
          <Group>
            <Button type="submit" loading={saving}>
              {t('change')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Section>
  )
}
