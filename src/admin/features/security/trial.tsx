import { Alert, Button, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { securityQuery } from './security.queries.ts'

/**
 * A notice about IP ranges on trial, which exclude the person who set them: they expire unless somebody inside confirms
 * them.
 */
export function Trial({ p, endsAt }: { p: string; endsAt: string }) {
  const t = useTranslations('security.trial')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const keep = useMutation({
    mutationFn: () => api('POST /api/project/{p}/security/confirmRanges', { params: { p } }),
    onSuccess: (answer) => {
      queryClient.setQueryData(securityQuery(p).queryKey, answer)
      toast.success(t('kept'))
    },
    onError: (error) => toast.error(errorText(error)),
  })
  return (
    <Alert color="orange" variant="light" icon={<IconClock size={18} />} title={t('title')}>
      <Text size="sm" mb="sm">
        {t('text', { time: format.dateTime(new Date(endsAt), { timeStyle: 'short' }) })}
      </Text>
      <Button size="compact-md" loading={keep.isPending} onClick={() => keep.mutate()}>
        {t('keep')}
      </Button>
    </Alert>
  )
}
