import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
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
    <Page title={t('title')} description={t('text')} width="narrow">
      {can('storage.manage') ? (
        <Settings p={p} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function Settings({ p }: { p: string }) {
  const { data: state, error, refetch } = useQuery(externalStorageQuery(p))
  if (!state) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const saved = state.externalStorage
  return (
    <>
      <StorageState p={p} state={state} />
      {/* What was saved begins anew, without the keys that were entered. */}
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
