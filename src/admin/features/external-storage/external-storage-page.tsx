import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import type { ExternalStorageState } from '#shared/contract/external-storage.ts'
import { CorsRule } from './cors-rule.tsx'
import { externalStorageQuery } from './external-storage.queries.ts'
import { serviceOf } from './services.ts'
import { StorageForm } from './storage-form.tsx'
import { StorageState } from './storage-state.tsx'

/** `/{p}/-/storage` */
export function ExternalStoragePage() {
  const t = useTranslations('externalStorage')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <SettingsPage
      title={t('title')}
      text={t('text')}
      forbidden={!can('storage.manage') && { title: t('forbidden'), text: t('forbiddenText') }}
      query={externalStorageQuery(p)}
    >
      {(state) => <Settings p={p} state={state} />}
    </SettingsPage>
  )
}

function Settings({ p, state }: { p: string; state: ExternalStorageState }) {
  const saved = state.externalStorage
  return (
    <>
      <StorageState p={p} state={state} />
      {/* The form is mounted again after a save, which removes the entered keys from it. */}
      <StorageForm key={saved?.updatedAt ?? ''} p={p} saved={saved} />
      {saved && <CorsRule service={serviceOf(saved.endpoint)} />}
      {saved && <Leave p={p} bucket={saved.bucket} />}
    </>
  )
}

function Leave({ p, bucket }: { p: string; bucket: string }) {
  const t = useTranslations('externalStorage.leave')
  const queryClient = useQueryClient()
  return (
    <Section title={t('title')} description={t('text')}>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() =>
          confirm({
            title: t('title'),
            message: t('confirm', { bucket }),
            action: t('action'),
            danger: true,
            run: async () => {
              const state: ExternalStorageState = await api('DELETE /api/project/{p}/externalStorage', {
                params: { p },
              })
              queryClient.setQueryData(externalStorageQuery(p).queryKey, state)
              toast.success(t('done'))
            },
          })
        }
      >
        {t('action')}
      </Button>
    </Section>
  )
}
