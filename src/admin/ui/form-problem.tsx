import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/**
 * The message about a form as a whole. Renders nothing without a text. `useForm` scrolls to it and focuses it after a
 * failed submit.
 */
export function FormProblem({ text }: { text: string | null }) {
  if (!text) return null
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      role="alert"
      tabIndex={-1}
      data-form-problem
      style={{ whiteSpace: 'pre-line' }}
    >
      {text}
    </Alert>
  )
}
