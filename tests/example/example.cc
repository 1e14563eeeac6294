// libshape from C++: a node by its symbols, arithmetic on its sizes, and what an error says.
#include <cstdio>
#include <memory>

#include <shape.h>

struct free_context {
        void operator()(ox_context *context) const
        {
                ox_context_free(context);
        }
};

static ox_code halve(ox_context *context, const char *size, int64_t *ret)
{
        const ox_dim given = OX_SYM(size), two = OX_SIZE(2);
        const ox_binding sizes[] = {{"N", 9}};
        ox_dim half;
        ox_code code = ox_dim_floordiv(context, given, two, &half);

        if (code == OX_OK)
                std::printf("half of it is %s\n", half.text);
        return code == OX_OK ? ox_dim_evaluate(context, half, sizes, 1, ret) : code;
}

int main()
{
        std::unique_ptr<ox_context, free_context> context(ox_context_new(nullptr));
        const ox_shape *shape = nullptr;
        const char *text = "";
        int64_t number = 0;

        if (!context)
                return 1;
        ox_code code =
                ox_shape_broadcast(context.get(), OX_SHAPE(OX_SYM("N"), OX_SIZE(1)), OX_SHAPE(OX_SIZE(4)), &shape);

        if (code == OX_OK)
                code = ox_shape_text(context.get(), shape, &text);
        std::printf("libshape %s: %s\n", ox_version(), text);
        if (code == OX_OK)
                code = ox_shape_broadcast(context.get(), OX_SCALAR, shape, &shape);
        if (code == OX_OK && shape->rank == 2)
                code = halve(context.get(), shape->dims[0].text, &number);
        std::printf("which is %lld for N = 9\n", static_cast<long long>(number));
        if (code != OX_OK)
                std::printf("%s: %s\n", ox_code_name(code), ox_context_error(context.get()));
        return code == OX_OK && number == 4 ? 0 : 1;
}
