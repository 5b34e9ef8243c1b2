import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { putSso } from './sso.queries.ts'

export function DeleteSso({ p }: { p: string }) {
  const t = useTranslations('sso.delete')
  const notYours = useTranslations('sso.form')('notYours')
  const queryClient = useQueryClient()
  function remove(): void {
    confirm({
      title: t('title'),
      message: t('text'),
      action: t('action'),
      danger: true,
      texts: { InvalidRoleChange: notYours },
      run: async () => {
        await api('DELETE /api/project/{p}/sso', { params: { p } })
        putSso(queryClient, p, null)
        toast.success(t('done'))
      },
    })
  }
  return (
    <Section title={t('title')} description={t('text')} danger>
      <Button variant="light" color="red" onClick={remove}>
        {t('action')}
      </Button>
    </Section>
  )
}
