import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { memberFactorQuery } from './members.queries.ts'

/**
 * Lets managers send a reset link to a member who lost their second factor. Renders nothing for a member who has no
 * second factor.
 */
export function MemberFactor({ p, id, name }: { p: string; id: string; name: string }) {
  const t = useTranslations('members.factor')
  const common = useTranslations('common')
  const sendsMail = useSendsMail()
  const { data } = useQuery(memberFactorQuery(p, id))
  if (!data?.hasSecondFactor) return null
  const ask = () =>
    confirm({
      title: t('ask'),
      message: sendsMail ? t('askText', { name }) : `${t('askTextNoMail', { name })} ${common('noMail')}`,
      action: t(sendsMail ? 'send' : 'create'),
      run: async () => {
        await api('POST /api/project/{p}/member/{id}/secondFactor/reset', { params: { p, id } })
        toast.success(t(sendsMail ? 'sent' : 'created', { name }))
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
      <Text size="sm">{t(sendsMail ? 'text' : 'textNoMail')}</Text>
    </Section>
  )
}
