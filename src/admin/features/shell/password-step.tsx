import { Button, Group, PasswordInput, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { useForm } from '#admin/lib/use-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'

interface PasswordStepProps {
  text: string
  /** The label of the submit button. */
  action: string
  danger?: boolean
  submit: (password: string) => Promise<void>
  close: () => void
}

/** Asks for the password once more before something is changed. */
export function PasswordStep({ text, action, danger, submit, close }: PasswordStepProps) {
  const t = useTranslations('secondFactor')
  const common = useTranslations('common')
  const guest = useTranslations('accounts.guest')
  const { field, problem, saving, formProps } = useForm({
    values: { password: '' },
    codes: { IncorrectPassword: 'password' },
    check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
    submit: ({ password }) => submit(password),
  })
  return (
    <form {...formProps}>
      <FormStack>
        <Text size="sm">{text}</Text>
        <FormProblem text={problem} />
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
        />
        <Group>
          <Button type="submit" loading={saving} {...(danger ? { color: 'red.8' } : {})}>
            {action}
          </Button>
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
