import { Alert, Button, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { securityQuery } from './security.queries.ts'

const confirmations = {
  members: 'POST /api/project/{p}/security/confirmRanges',
  tokens: 'POST /api/project/{p}/security/confirmTokenRanges',
} as const

interface PendingRangesProps {
  p: string
  /** Whether the ranges limit members or API tokens. */
  of: keyof typeof confirmations
  endsAt: string
  /** The version of the settings that the member sees. */
  version: number
}

/**
 * A notice about pending IP ranges. At `endsAt` the previous ranges return, unless a member with all rights confirms
 * the new ones.
 */
export function PendingRanges({ p, of, endsAt, version }: PendingRangesProps) {
  const t = useTranslations('security.pendingRanges')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const keep = useMutation({
    mutationFn: () => api(confirmations[of], { params: { p }, body: { version } }),
    onSuccess: (answer) => {
      queryClient.setQueryData(securityQuery(p).queryKey, answer)
      toast.success(t('kept'))
    },
    onError: (error) => {
      toast.error(errorText(error))
      // The settings may have changed since they were shown.
      void queryClient.invalidateQueries(securityQuery(p))
    },
  })
  return (
    <Alert variant="light" icon={<IconClock size={18} />} title={t('title')}>
      <Text size="sm" mb="sm">
        {t(of, { time: format.dateTime(new Date(endsAt), { timeStyle: 'short' }) })}
      </Text>
      <Button size="compact-md" loading={keep.isPending} onClick={() => keep.mutate()}>
        {t('keep')}
      </Button>
    </Alert>
  )
}
