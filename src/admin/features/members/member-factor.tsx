import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { memberFactorQuery } from './members.queries.ts'

/**
 * Lets managers mail a reset link to a member who lost their second factor; renders nothing for members without one.
 */
export function MemberFactor({ p, id, name }: { p: string; id: string; name: string }) {
  const t = useTranslations('members.factor')
  const { data } = useQuery(memberFactorQuery(p, id))
  if (!data?.hasSecondFactor) return null
  const ask = () =>
    confirm({
      title: t('ask'),
      message: t('askText', { name }),
      action: t('send'),
      run: async () => {
        await api('POST /api/project/{p}/member/{id}/secondFactor/reset', { params: { p, id } })
        toast.success(t('sent', { name }))
      },
    })
  return (
    <Section
      title={t('title')}
      actions={
        <Button variant="default" onClick={ask}>
          {t('ask')}
        </Button>
      }
    >
      <Text size="sm">{t('text')}</Text>
    </Section>
  )
}
