import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'

/** A button that sends the mail to verify the account's e-mail address. */
export function SendVerification({ account }: { account: Account }) {
  const t = useTranslations('accountSecurity.email')
  const { isPending, mutate } = useMutation({
    mutationFn: () => api('POST /api/account/{id}/emailVerification', { params: { id: account._id } }),
    onSuccess: () => toast.success(t('verificationSent', { email: account.email })),
    onError: (error) => toast.error(errorText(error)),
  })
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      {t('sendVerification')}
    </Button>
  )
}
