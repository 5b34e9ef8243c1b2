import { Alert, List, Stack, Text, Title } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import type { CopyPlan as Plan } from '#shared/contract/model-copies.ts'

/** Shows the number of fields and the custom field types of a new model, and the parts that the copy omits. */
export function CopyPlan({ plan }: { plan: Plan }) {
  const t = useTranslations('modelCopies.plan')
  const { made, used } = plan.customFieldTypes
  return (
    <Stack gap="md" component="section" aria-labelledby="copy-plan">
      <div>
        <Title order={2} id="copy-plan" mb="xs">
          {t('title')}
        </Title>
        <List size="sm">
          <List.Item>{t('fields', { count: plan.fields.length })}</List.Item>
          {made.length > 0 && <List.Item>{t('made', { types: made.join(', ') })}</List.Item>}
          {used.length > 0 && <List.Item>{t('used', { types: used.join(', ') })}</List.Item>}
        </List>
      </div>
      {plan.leftOut.length > 0 && (
        <Alert color="yellow" variant="light" role="status">
          <Text size="sm" fw={600}>
            {t('leftOutTitle')}
          </Text>
          <Text size="sm">{t('leftOutText')}</Text>
          <List size="sm" mt="xs">
            {plan.leftOut.map(({ path, model }) => (
              <List.Item key={`${path} ${model}`}>{t('leftOut', { path, model })}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

/** Returns a function that describes why a model cannot be copied here, for errors that belong to no input. */
export function useCopyProblem(): (error: unknown) => string {
  const t = useTranslations('modelCopies.plan')
  return (error) => {
    const types = error instanceof ApiError && error.details.customFieldTypes
    return Array.isArray(types) ? t('clash', { types: types.join(', ') }) : errorText(error)
  }
}
