import { Button, Text } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { errorText } from '#admin/lib/errors.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { AuthLayout } from './auth-layout.tsx'
import type { MailedLink } from './use-mailed-link.ts'

interface MailedLinkFormProps {
  title: string
  link: MailedLink
  /** The message if the URL has no token. */
  noLink: string
  form: { problem: string | null; saving: boolean; formProps: ComponentProps<'form'> }
  /** The inputs. Hidden if the URL has no token or the link is no longer valid. */
  children: ReactNode
  action: string
  /** A link to another page, for users who cannot continue here. */
  instead: ReactNode
}

/** The page that a mailed link opens: a form for the recipient. */
export function MailedLinkForm({
  title,
  link: { token, spent },
  noLink,
  form: { problem, saving, formProps },
  children,
  action,
  instead,
}: MailedLinkFormProps) {
  return (
    <AuthLayout title={title}>
      <form {...formProps}>
        <FormStack>
          <FormProblem text={problem ?? (spent ? errorText(spent) : token ? null : noLink)} />
          {token && !spent && (
            <>
              {children}
              <Button type="submit" loading={saving} size="md">
                {action}
              </Button>
            </>
          )}
          <Text size="sm" ta="center">
            {instead}
          </Text>
        </FormStack>
      </form>
    </AuthLayout>
  )
}
