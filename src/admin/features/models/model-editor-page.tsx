import { Button } from '@mantine/core'
import { IconArrowLeft, IconBraces, IconCopy } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { customTypesQuery, modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { useDeleteModel } from './delete-model.tsx'
import { ModelChanges } from './model-changes.tsx'
import { ModelEditor } from './model-editor.tsx'
import { ModelPanel } from './model-panel.tsx'
import { useModelEditor } from './use-model-editor.ts'

const route = getRouteApi('/signed-in/$p/$a/$m/-/model')

/** `/{p}/{a}/{m}/-/model` */
export function ModelEditorPage() {
  const t = useTranslations('models.editor')
  const { p, a, m } = route.useParams()
  // The model always reloads, because the cached one may be outdated.
  const model = useQuery({ ...modelQuery(p, a, m), refetchOnMount: 'always' })
  const models = useQuery(modelsQuery(p, a))
  const customTypes = useQuery(customTypesQuery(p, a))
  const can = useCanInApp(p, a)
  const copies = useTranslations('modelCopies')
  const name = model.data?.name ?? m
  const failed = [model, models, customTypes].find(({ isError }) => isError)
  return (
    <Page
      title={t('title', { name })}
      description={model.data?.description}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconBraces size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/code" params={{ p, a, m }} />}
          >
            {copies('code.link')}
          </Button>
          {can('model.manage') && (
            <Button
              variant="default"
              leftSection={<IconCopy size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/duplicate" params={{ p, a, m }} />}
            >
              {copies('duplicate.link')}
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={{ p, a, m }} />}
          >
            {t('documents')}
          </Button>
        </>
      }
    >
      {model.data && models.data && customTypes.data ? (
        <Editor
          key={model.data._id}
          model={model.data}
          models={models.data}
          customTypes={customTypes.data}
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

interface EditorProps {
  model: Model
  models: readonly Model[]
  customTypes: readonly CustomType[]
  place: { p: string; a: string }
  readOnly: boolean
}

function Editor(props: EditorProps) {
  const { model, models, place } = props
  const deleteModel = useDeleteModel(place)
  return (
    <ModelEditor
      {...props}
      work={useModelEditor(place, model, models, props.customTypes)}
      hasDocuments={model.documentCount > 0}
      notices={<ModelChanges model={model} place={place} readOnly={props.readOnly} />}
      panel={(panel) => <ModelPanel {...panel} place={place} onDelete={() => deleteModel(model, models)} />}
    />
  )
}
