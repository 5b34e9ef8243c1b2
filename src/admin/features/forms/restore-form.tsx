import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import type { Form } from '#shared/contract/forms.ts'
import { keepForm } from './forms.queries.ts'

/** The button that restores a form from the trash. Nothing for users without the rights to do so. */
export function RestoreForm({ p, form: { _id: id, name } }: { p: string; form: Form }) {
  const t = useTranslations('forms.trash')
  const can = useCanInSpace(p)
  const queryClient = useQueryClient()
  const restore = useMutation({
    mutationFn: () => api('POST /api/project/{p}/form/{id}:restore', { params: { p, id } }),
    async onSuccess({ form }) {
      toast.success(t('restored', { name }))
      await keepForm(queryClient, p, form)
    },
  })
  if (!can('form.manage') || !can('submission.manage')) return null
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconArrowBackUp size={15} />}
      aria-label={t('restoreNamed', { name })}
      loading={restore.isPending}
      onClick={() => restore.mutate()}
    >
      {t('restore')}
    </Button>
  )
}
