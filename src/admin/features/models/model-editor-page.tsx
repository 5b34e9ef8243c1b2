import { Button } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { ModelEditor } from './model-editor.tsx'

const route = getRouteApi('/signed-in/$p/$a/$m/-/model')

/** `/{p}/{a}/{m}/-/model` */
export function ModelEditorPage() {
  const t = useTranslations('models.editor')
  const { p, a, m } = route.useParams()
  // Another member may have changed the model since it was read for a list.
  const model = useQuery({ ...modelQuery(p, a, m), refetchOnMount: 'always' })
  const models = useQuery(modelsQuery(p, a))
  const can = useCanInApp(p, a)
  const name = model.data?.name ?? m
  const failed = model.isError ? model : models.isError ? models : null
  return (
    <Page
      title={t('title', { name })}
      description={model.data?.description}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={{ p, a, m }} />}
        >
          {t('documents')}
        </Button>
      }
    >
      {model.data && models.data ? (
        <ModelEditor
          key={model.data._id}
          model={model.data}
          models={models.data}
          place={{ p, a }}
          readOnly={!can('model.manage')}
        />
      ) : failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : (
        <SkeletonList rows={6} />
      )}
    </Page>
  )
}
